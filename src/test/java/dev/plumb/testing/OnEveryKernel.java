package dev.plumb.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/**
 * For tests whose result depends on the kernel: {@code scripts/kernels} runs them on others too.
 * There they have a Java runtime, busybox and what {@link KernelTests} makes before, but no
 * compiler, and no tool to compare with.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Tag(OnEveryKernel.TAG)
public @interface OnEveryKernel {
  String TAG = "every-kernel";
}
