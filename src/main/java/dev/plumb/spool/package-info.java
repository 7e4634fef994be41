/**
 * Recordings on their way from the process that records to the one that keeps and shows them.
 *
 * <p>The two meet at a folder on disk and have separate fates: whatever a question does to the
 * server, recording goes on. {@link dev.plumb.spool.SpoolWriter} puts each recording into a file of
 * its own; {@link dev.plumb.spool.SpoolReader} hands them over in order and deletes those that are
 * kept. Files have numbers, which the store commits with what it adds, so that a crash between the
 * two adds nothing twice.
 */
package dev.plumb.spool;
