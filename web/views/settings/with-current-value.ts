import type { Option } from '../../ui/fields/option.tsx'

/** Returns the options. Adds the current value if it is not among them, because another client has set it. */
export function withCurrentValue<Key extends string | number>(
  options: readonly Option<Key>[],
  own: Key,
  label: (own: Key) => string,
): readonly Option<Key>[] {
  return options.some(({ id }) => id === own) ? options : [{ id: own, label: label(own) }, ...options]
}
