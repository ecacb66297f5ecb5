import type { ReactNode } from 'react'
import { ListBoxItem } from 'react-aria-components/ListBox'
import { Text } from 'react-aria-components/Text'

export type Option<Key extends string | number> = {
  id: Key
  label: string
  icon?: ReactNode
  hint?: string
  isDisabled?: boolean
}

/** An option of a list with its icon, and its hint below. */
export function OptionItem({ id, label, icon, hint }: Option<string | number>): ReactNode {
  return (
    <ListBoxItem className="list-box-item" id={id} textValue={label}>
      <Text slot="label">
        {icon}
        {label}
      </Text>
      {hint !== undefined && (
        <Text slot="description" className="list-box-hint">
          {hint}
        </Text>
      )}
    </ListBoxItem>
  )
}

export const disabledKeysOf = <Key extends string | number>(options: readonly Option<Key>[]): Key[] =>
  options.filter((option) => option.isDisabled).map((option) => option.id)
