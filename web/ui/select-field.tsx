import ChevronDown from 'lucide-react/icons/chevron-down'
import type { ReactNode } from 'react'
import { Button } from 'react-aria-components/Button'
import { Label } from 'react-aria-components/Label'
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox'
import { Popover } from 'react-aria-components/Popover'
import { Select, SelectValue } from 'react-aria-components/Select'
import { Text } from 'react-aria-components/Text'
import './field.css'
import './popover.css'
import './select-field.css'

export type Option<Key extends string | number> = { id: Key; label: string; hint?: string; isDisabled?: boolean }

/** One of a few choices. */
export function SelectField<Key extends string | number>(props: {
  label: string
  value: Key
  onChange: (value: Key) => void
  options: readonly Option<Key>[]
  description?: ReactNode
  isDisabled?: boolean
}): ReactNode {
  const { label, value, onChange, options, description, isDisabled = false } = props
  return (
    <Select
      className="field"
      value={value}
      onChange={(key) => key !== null && onChange(key as Key)}
      isDisabled={isDisabled}
      disabledKeys={options.filter((option) => option.isDisabled).map((option) => option.id)}
    >
      <Label className="field-label">{label}</Label>
      <Button className="select-button">
        <SelectValue className="select-value">{({ selectedText }) => selectedText}</SelectValue>
        <ChevronDown className="icon" aria-hidden="true" />
      </Button>
      {description !== undefined && (
        <Text slot="description" className="field-description">
          {description}
        </Text>
      )}
      <Popover className="popover">
        <ListBox className="list-box" items={options}>
          {(option) => (
            <ListBoxItem className="list-box-item" id={option.id} textValue={option.label}>
              <Text slot="label">{option.label}</Text>
              {option.hint !== undefined && (
                <Text slot="description" className="list-box-hint">
                  {option.hint}
                </Text>
              )}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </Select>
  )
}
