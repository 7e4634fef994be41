/**
 * What tests are written with. Start at {@link dev.plumb.testing.Programs}, which compiles and runs
 * {@code src/test/targets}, and {@link dev.plumb.testing.PlumbCommand}, which runs Plumb's
 * commands. {@link dev.plumb.testing.Fixtures} makes object files, {@link
 * dev.plumb.testing.TestRecordings} makes recordings, {@link dev.plumb.testing.ExternalTools} runs
 * the tools that tests compare with. {@link dev.plumb.testing.LeakCheck} fails every test class
 * that leaves a file descriptor or a mapping open. A fixture that only one package uses lies in
 * that package.
 */
package dev.plumb.testing;
