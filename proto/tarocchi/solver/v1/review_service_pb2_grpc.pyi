from collections.abc import Iterator
from typing import Any

import grpc
from tarocchi.solver.v1 import review_service_pb2

class ReviewServiceStub:
    def __init__(self, channel: grpc.Channel) -> None: ...
    ReviewDeal: grpc.UnaryStreamMultiCallable[review_service_pb2.ReviewDealRequest, review_service_pb2.ReviewDealResponse]

class ReviewServiceServicer:
    def ReviewDeal(self, request: review_service_pb2.ReviewDealRequest, context: grpc.ServicerContext) -> Iterator[review_service_pb2.ReviewDealResponse]: ...

def add_ReviewServiceServicer_to_server(servicer: ReviewServiceServicer, server: grpc.Server) -> Any: ...
