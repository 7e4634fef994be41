/**
 * pprof. Start at {@link dev.plumb.export.pprof.PprofReader} and {@link
 * dev.plumb.export.pprof.PprofWriter}.
 */
package dev.plumb.export.pprof;
