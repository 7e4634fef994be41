// A library with one function, whose name is chosen when compiling: -DWORK=name.
#include <stdint.h>
static volatile uint64_t sink;
__attribute__((noinline, visibility("hidden"))) void WORK(int turns)
{
	for (int i = 0; i < turns; i++)
		sink += i;
}
void run(int turns)
{
	WORK(turns);
	sink++;
}
