import ChevronDown from 'lucide-react/icons/chevron-down'
import type { ReactNode } from 'react'
import { Button } from 'react-aria-components/Button'
import { FieldError } from 'react-aria-components/FieldError'
import { Label } from 'react-aria-components/Label'
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox'
import { Popover } from 'react-aria-components/Popover'
import { Select, SelectValue } from 'react-aria-components/Select'
import { Text } from 'react-aria-components/Text'
import './field.css'
import './popover.css'
import './select-field.css'
import { t } from '../text/t.ts'

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

/** A choice among a few options. */
export function SelectField<Key extends string | number>(props: {
  label: string
  isLabelHidden?: boolean
  name?: string
  /** Null if nothing is chosen. */
  value: Key | null
  onChange: (value: Key) => void
  options: readonly Option<Key>[]
  description?: ReactNode
  /** The error of the choice. It is shown next to the field, and screen readers announce it. */
  error?: string | null
  isDisabled?: boolean
}): ReactNode {
  const {
    label,
    isLabelHidden = false,
    name,
    value,
    onChange,
    options,
    description,
    error = null,
    isDisabled = false,
  } = props
  return (
    <Select
      className="field"
      value={value}
      onChange={(key) => key !== null && onChange(key as Key)}
      isDisabled={isDisabled}
      isInvalid={error !== null}
      validationBehavior="aria"
      disabledKeys={disabledKeysOf(options)}
    >
      <Label className={isLabelHidden ? 'visually-hidden' : 'field-label'}>{label}</Label>
      <Button className="select-button" {...(name !== undefined && { name })}>
        <SelectValue className="select-value">
          {({ selectedText }) => (
            <>
              {options.find(({ id }) => id === value)?.icon}
              <span className="select-text">{selectedText || t('Choose…')}</span>
            </>
          )}
        </SelectValue>
        <ChevronDown className="icon" aria-hidden="true" />
      </Button>
      <FieldError className="field-error">{error}</FieldError>
      {description !== undefined && (
        <Text slot="description" className="field-description">
          {description}
        </Text>
      )}
      <Popover className="popover">
        <ListBox className="list-box" items={options}>
          {(option) => <OptionItem {...option} />}
        </ListBox>
      </Popover>
    </Select>
  )
}
