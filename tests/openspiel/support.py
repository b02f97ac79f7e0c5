"""Games and states of OpenSpiel for the tests."""

from __future__ import annotations

import random
from collections.abc import Iterator

from solver.deals import random_start
from tarocchi_engine import Call, Phase, Variant
from tarocchi_solver.openspiel import TarocchiState, dealt_state, game_of
from tarocchi_solver.openspiel.actions import BID, CALLS, DEAL_ON, DONE, MONTE

PASS, GIOCO, SOLO = (BID + CALLS.index(call) for call in (Call.PASS, Call.GIOCO, Call.SOLO))


def start(variant: Variant, seed: int) -> TarocchiState:
    """Returns the state of a random deal of a match before its first move; the dealer is given or was drawn."""
    deal = random_start(variant, seed)
    dealer = deal.table.dealer if seed % 2 else None
    return dealt_state(game_of(variant, dealer, deal.standing), deal)


def walk(variant: Variant, seed: int) -> Iterator[TarocchiState]:
    """Yields the states of a random deal from before its first move to its end, one action apart."""
    rng = random.Random(f"{variant.name} walk {seed}")
    state = start(variant, seed)
    shows = rng.random() < 0.5
    while True:
        yield state
        if state.is_terminal():
            return
        actions = state.legal_actions()
        if MONTE in actions and rng.random() < 0.7:
            actions = [DEAL_ON]
        elif SOLO in actions and rng.random() < 0.8:
            actions = [GIOCO if GIOCO in actions else PASS]
        elif shows and len(actions) > 1 and state.deal.phase is Phase.DECLARE:
            actions = [action for action in actions if action != DONE]
        state = state.clone()
        state.apply_action(rng.choice(actions))


def own_story(state: TarocchiState, player: int) -> list[tuple[str, int]]:
    """Returns what a player knew and did at each of its decisions up to a state."""
    story = []
    now = state.get_game().new_initial_state()
    for step in state.full_history():
        if step.player == player:
            story.append((now.information_state_string(player), step.action))
        now.apply_action_with_legality_check(step.action)
    assert str(now) == str(state)
    return story
