import type { Option } from '../../ui/fields/option.tsx'

/** The options, with what one has chosen by another client where it is none of them. */
export function withCurrentValue(
  options: readonly Option<number>[],
  own: number,
  label: (own: number) => string,
): readonly Option<number>[] {
  return options.some(({ id }) => id === own) ? options : [{ id: own, label: label(own) }, ...options]
}
