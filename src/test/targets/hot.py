# A hot function, for ever; "ready" when it has run for a while.
import sys
import time


def hot_inner(n):
    total = 0
    for i in range(n):
        total ^= i
    return total


class Hot:
    def hot_outer(self):
        return sum(hot_inner(1000) for _ in range(10))


start = time.time()
told = False
while True:
    Hot().hot_outer()
    if not told and time.time() - start > 0.3:
        told = True
        print("ready", flush=True)
