"""A program that pyroscope-io profiles: pyroscope_client.py ADDRESS SECONDS"""

import sys
import time

import pyroscope


def busy_python(until):
    total = 0
    while time.monotonic() < until:
        for i in range(10_000):
            total += i * i
    return total


pyroscope.configure(
    application_name="python-client",
    server_address=sys.argv[1],
    tags={"region": "eu"},
    sample_rate=100,
    oncpu=True,
)
busy_python(time.monotonic() + float(sys.argv[2]))
pyroscope.shutdown()
