import type { Option } from '../../ui/fields/option.tsx'

/** Returns the options, with the current value added if it is a different one, set by another client. */
export function withCurrentValue(
  options: readonly Option<number>[],
  own: number,
  label: (own: number) => string,
): readonly Option<number>[] {
  return options.some(({ id }) => id === own) ? options : [{ id: own, label: label(own) }, ...options]
}
