"""Calls a server of its own for a while in every way that clients have, good and bad, and looks what is left of it.

The server runs in a process of its own, the clients here. Each call has to end once, with an answer or with a status that
its way of calling allows; and at the end the server has to be as it was when it had warmed up.
"""

from __future__ import annotations

import contextlib
import os
import random
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import grpc

from tarocchi.solver.v1 import review_service_pb2, rules_service_pb2
from tarocchi.solver.v1 import solver_service_pb2 as pb
from tarocchi_bench.fuzz.real_requests import real_requests
from tarocchi_bench.server_process import ServerProcess
from tarocchi_engine import VARIANTS

CLIENTS: Final = 24
SEARCHES: Final = 2
QUEUE_SIZE: Final = 8
ANALYSES: Final = 2
ANALYSIS_QUEUE: Final = 8
LONG_CALLS: Final = 4
OTHER_THREADS: Final = 8
"""RPC threads of a server beside those of searches and long calls."""
RATE_LIMIT: Final = 200
GROWTH_BAR: Final = 24.0
"""MiB that the server may grow by after the warm phase, and one part in a thousand of each second."""
THREADS_BAR: Final = 4
"""Threads of gRPC's own, which come and go."""
FILES_BAR: Final = 4
SETTLE_SECONDS: Final = 30.0
_WARM_SHARE: Final = 0.4
_PAUSE: Final = 0.05
_SECRETS: Final = {"free": "soak-0123456789abcdef-free", "limited": "soak-0123456789abcdef-limited"}
_UNKNOWN: Final = "soak-0123456789abcdef-unknown"
_BUSY: Final = frozenset({"OK", "RESOURCE_EXHAUSTED"})
_LEFT: Final = frozenset({"CANCELLED"})
_LATE: Final = frozenset({"DEADLINE_EXCEEDED"})
_BAD: Final = frozenset({"INVALID_ARGUMENT"})
_PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"
