import type { Option } from '../../ui/fields/option.tsx'

/** Returns the options, with the current value added if another client has set one that is not among them. */
export function withCurrentValue<Key extends string | number>(
  options: readonly Option<Key>[],
  own: Key,
  label: (own: Key) => string,
): readonly Option<Key>[] {
  return options.some(({ id }) => id === own) ? options : [{ id: own, label: label(own) }, ...options]
}
