import type { ReactNode } from 'react'
import { ComboBox } from 'react-aria-components/ComboBox'
import { FieldError } from 'react-aria-components/FieldError'
import { Input } from 'react-aria-components/Input'
import { Label } from 'react-aria-components/Label'
import { ListBox } from 'react-aria-components/ListBox'
import { Popover } from 'react-aria-components/Popover'
import { Text } from 'react-aria-components/Text'
import './field.css'
import './combo-field.css'
import '../layout/popover.css'
import { OptionItem } from './option.tsx'

/** A text field that suggests values while the user types. Other values can be typed, too. */
export function SuggestedField(props: {
  label: string
  name: string
  value: string
  suggestions: readonly string[]
  error: string | null
  description?: ReactNode
  isDisabled?: boolean
  autoFocus?: boolean
  onChange: (value: string) => void
}): ReactNode {
  const { label, name, value, suggestions, error, description, isDisabled = false, autoFocus = false, onChange } = props
  return (
    <ComboBox
      className="field"
      allowsCustomValue
      inputValue={value}
      onInputChange={onChange}
      items={suggestions.map((suggestion) => ({ id: suggestion, label: suggestion }))}
      isInvalid={error !== null}
      validationBehavior="aria"
      isDisabled={isDisabled}
      autoFocus={autoFocus}
    >
      <Label className="field-label">{label}</Label>
      <Input className="field-input" name={name} dir="auto" />
      <FieldError className="field-error">{error}</FieldError>
      {description !== undefined && (
        <Text slot="description" className="field-description">
          {description}
        </Text>
      )}
      <Popover className="popover">
        <ListBox<{ id: string; label: string }> className="list-box">{(option) => <OptionItem {...option} />}</ListBox>
      </Popover>
    </ComboBox>
  )
}
