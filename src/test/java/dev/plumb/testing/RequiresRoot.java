package dev.plumb.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.condition.EnabledIf;

/** For tests that load BPF programs into the kernel. */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@EnabledIf(
    value = "dev.plumb.testing.Root#is",
    disabledReason = "needs root: it loads BPF programs into the kernel")
public @interface RequiresRoot {}
