"""A program for the arena to play with: reads observations, writes moves, and errs when it is told to.

    python programs.py [MODE [LINE]]

It makes one legal move or another, by asking the engine. From line LINE on it does what MODE says.
"""

from __future__ import annotations

import json
import sys
import time


def legal_answer(line: str, number: int) -> str:
    """Returns one of the legal moves."""
    # loads for a second, which the programs that answer nonsense do without
    from google.protobuf import json_format

    from tarocchi.solver.v1 import rules_service_pb2
    from tarocchi_solver.service.rules_service import list_legal_moves

    request = rules_service_pb2.ListLegalMovesRequest()
    json_format.ParseDict(json.loads(line), request.observation)
    moves = list_legal_moves(request).moves
    return json.dumps(json_format.MessageToDict(moves[number % len(moves)]))


def main() -> None:
    mode = sys.argv[1] if len(sys.argv) > 1 else "play"
    start = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    for number, line in enumerate(sys.stdin, start=1):
        answer = legal_answer(line, number) if number < start or mode in ("play", "talk") else ""
        if number >= start:
            match mode:
                case "die":
                    sys.exit("out of ideas")
                case "prose":
                    answer = "I play the ace"
                case "cheat":
                    answer = '{"play": {"card": "MAT"}, "give": {"card": "MAT"}}'
                case "unknown":
                    answer = '{"play": {"card": "T99"}}'
                case "illegal":
                    answer = '{"give": {"card": "MAT"}}'
                case "sleep":
                    time.sleep(60)
                case "talk":
                    answer += "\nand another thing"
        print(answer, flush=True)


if __name__ == "__main__":
    main()
