"""sum: the smallest useful call of gRPC. It measures the server's own cost per call."""

from httpdyno.workloads.call import GRPC, call_headers, framed_message
from httpdyno.workloads.workload import Exchange, Workload

METHOD = "httpdyno.Reference/GetSum"


def _exchange(request: str, reply: str, why: str) -> Exchange:
    """A call with these messages, in hexadecimal digits."""
    return Exchange(
        path=f"/{METHOD}",
        method="POST",
        headers=tuple(call_headers()),
        body=framed_message(bytes.fromhex(request)),
        answer=framed_message(bytes.fromhex(reply)),
        content_type=GRPC,
        why=why,
        grpc=True,
    )


GET_SUM = Workload(
    name="sum",
    title="Sum, by gRPC",
    description="The unary call httpdyno.Reference/GetSum adds 1 and 2: the server's own cost per"
    " call of gRPC.",
    measured=(_exchange("0801 1002", "0803", "the smallest useful call"),),
    edges=(
        _exchange("", "", "numbers that are 0 are not sent"),
        _exchange("08ac02 108001", "08ac03", "numbers of several bytes"),
        _exchange("08ffffffffffffffffff01 1002", "0801", "a number below 0 has ten bytes"),
        _exchange("08ffffffff07 1001", "0880808080f8ffffffff01", "a sum that wraps around"),
    ),
)
