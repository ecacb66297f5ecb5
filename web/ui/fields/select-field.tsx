import ChevronDown from 'lucide-react/icons/chevron-down'
import type { ReactNode } from 'react'
import { Button } from 'react-aria-components/Button'
import { FieldError } from 'react-aria-components/FieldError'
import { Label } from 'react-aria-components/Label'
import { ListBox } from 'react-aria-components/ListBox'
import { Popover } from 'react-aria-components/Popover'
import { Select, SelectValue } from 'react-aria-components/Select'
import { Text } from 'react-aria-components/Text'
import './field.css'
import '../layout/popover.css'
import './select-field.css'
import { t } from '../../text/t.ts'
import { disabledKeysOf, type Option, OptionItem } from './option.tsx'

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
              {selectedText || t('Choose an option')}
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
