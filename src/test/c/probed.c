// Something to probe: calls `probed` once somebody has raised the semaphore, then exits with 42.
#include <unistd.h>

volatile unsigned short semaphore __attribute__((section(".probes"))) = 0;

__attribute__((noinline)) int probed(int x)
{
	__asm__ volatile("");
	return x + 1;
}

int main(void)
{
	for (int i = 0; i < 5000; i++) {
		if (semaphore) {
			/* It is raised before the probe is wholly there. */
			usleep(200000);
			return probed(41);
		}
		usleep(1000);
	}
	return 1;
}
