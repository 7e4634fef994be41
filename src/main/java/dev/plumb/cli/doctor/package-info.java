/**
 * {@code plumb doctor}: start at {@code Examination}, which makes a {@code Finding} of each thing
 * that a recording needs.
 */
package dev.plumb.cli.doctor;
