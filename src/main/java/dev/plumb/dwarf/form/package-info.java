/**
 * How entries of debug information are encoded: sections, unit headers, abbreviations, forms.
 *
 * <p>Start at {@link dev.plumb.dwarf.form.SectionReader} and {@link
 * dev.plumb.dwarf.form.Abbreviations}. Total on any input. Only {@code dev.plumb.dwarf} may use it.
 */
package dev.plumb.dwarf.form;
