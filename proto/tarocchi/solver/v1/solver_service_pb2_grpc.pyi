from typing import Any

import grpc
from tarocchi.solver.v1 import solver_service_pb2

class SolverServiceStub:
    def __init__(self, channel: grpc.Channel) -> None: ...
    RecommendMove: grpc.UnaryUnaryMultiCallable[solver_service_pb2.RecommendMoveRequest, solver_service_pb2.RecommendMoveResponse]
    GetServerInfo: grpc.UnaryUnaryMultiCallable[solver_service_pb2.GetServerInfoRequest, solver_service_pb2.GetServerInfoResponse]

class SolverServiceServicer:
    def RecommendMove(self, request: solver_service_pb2.RecommendMoveRequest, context: grpc.ServicerContext) -> solver_service_pb2.RecommendMoveResponse: ...
    def GetServerInfo(self, request: solver_service_pb2.GetServerInfoRequest, context: grpc.ServicerContext) -> solver_service_pb2.GetServerInfoResponse: ...

def add_SolverServiceServicer_to_server(servicer: SolverServiceServicer, server: grpc.Server) -> Any: ...
