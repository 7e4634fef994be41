/**
 * Tests that run whole commands on real programs; each class tells one story of a user. Unit tests
 * lie beside their subject instead, in its package.
 *
 * <p>Rooms: {@code record}, what holds for every recording; {@code cpu}, CPU samples and their
 * stacks and names; {@code mode}, what the other modes measure; {@code stack}, {@code plumb stack};
 * {@code serve}, the processes that run for long. Here lies only what several rooms use.
 *
 * <p>To write one: put a program that does a known amount of something into {@code
 * src/test/targets} and start it by {@link dev.plumb.testing.Programs}, run Plumb by {@link
 * dev.plumb.testing.PlumbCommand} in this process (by {@link dev.plumb.testing.OwnProcess} or
 * {@link dev.plumb.testing.Installation} in a separate one), and compare what was recorded with
 * what the program knows or with what an established tool says. {@code
 * scenario.mode.RecordForksTest} is the shortest example. Mark it by {@link
 * dev.plumb.testing.RequiresRoot}, and by {@link dev.plumb.testing.OnEveryKernel} if the result
 * depends on the kernel. {@code ./check} runs these tests one after another, because they measure.
 */
package dev.plumb.scenario;
