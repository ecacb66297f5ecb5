import type { ReactNode } from 'react'
import { FieldError } from 'react-aria-components/FieldError'
import { Input } from 'react-aria-components/Input'
import { Label } from 'react-aria-components/Label'
import { Text } from 'react-aria-components/Text'
import { TextArea } from 'react-aria-components/TextArea'
import { TextField as AriaTextField, type TextFieldProps as AriaTextFieldProps } from 'react-aria-components/TextField'
import { t } from '../text/t.ts'
import './field.css'
import Check from 'lucide-react/icons/check'
import { Checkbox } from 'react-aria-components/Checkbox'
import { Radio, RadioGroup } from 'react-aria-components/RadioGroup'

/** A key in a field. Parents, such as dialogs, get it only after `continuePropagation`. */
export type FieldKeyEvent = Parameters<NonNullable<AriaTextFieldProps['onKeyDown']>>[0]

type TextFieldProps = Omit<AriaTextFieldProps, 'className' | 'children' | 'maxLength' | 'value'> & {
  label: string
  value?: string
  /**
   * The maximum number of characters. Longer text shows an error, but is not cut off, so that nothing pasted is lost.
   */
  maxLength?: number
  isLabelHidden?: boolean
  /** Help text below the field. Screen readers read it together with the field. */
  description?: ReactNode
  /** The error of the value. It is shown next to the field, and screen readers announce it. */
  error?: string | null
  /** The number of lines; one if omitted. */
  rows?: number
  placeholder?: string
  /** Content that belongs to the field and follows it, such as a button. */
  after?: ReactNode
}

/** A text field with its label, help text and error. */
export function TextField({
  label,
  isLabelHidden = false,
  description,
  error,
  rows,
  placeholder,
  after,
  maxLength = Infinity,
  ...props
}: TextFieldProps): ReactNode {
  const isTooLong = [...(props.value ?? '')].length > maxLength
  const shown = isTooLong ? t('Use at most {count, number} characters.', { count: maxLength }) : error || null
  return (
    <AriaTextField {...props} className="field" isInvalid={shown !== null} validationBehavior="aria">
      <Label className={isLabelHidden ? 'visually-hidden' : 'field-label'}>{label}</Label>
      {rows === undefined ? (
        <div className="field-line">
          <Input className="field-input" dir="auto" placeholder={placeholder} />
          {after}
        </div>
      ) : (
        <TextArea className="field-input" dir="auto" rows={rows} placeholder={placeholder} />
      )}
      <FieldError className="field-error">{shown}</FieldError>
      {description !== undefined && (
        <Text slot="description" className="field-description">
          {description}
        </Text>
      )}
    </AriaTextField>
  )
}

export function CheckboxField(props: {
  isSelected: boolean
  onChange: (isSelected: boolean) => void
  isDisabled?: boolean
  'aria-describedby'?: string
  children: ReactNode
}): ReactNode {
  const { children, ...box } = props
  return (
    <Checkbox {...box} className="checkbox">
      <span className="checkbox-box" aria-hidden="true">
        <Check className="icon" />
      </span>
      <span>{children}</span>
    </Checkbox>
  )
}

export type Card = { id: string; label: string; hint: string; icon?: ReactNode }

/** A choice among a few options. Each option has an explanation. */
export function RadioCards(props: {
  label: string
  /** Null if nothing is chosen. If no card had the value, the keyboard could not reach any card. */
  value: string | null
  onChange: (value: string) => void
  cards: readonly Card[]
  isDisabled?: boolean
}): ReactNode {
  const { label, cards, ...group } = props
  return (
    <RadioGroup {...group} className="radio-cards">
      <Label className="field-label">{label}</Label>
      {cards.map(({ id, label, hint, icon }) => (
        <Radio key={id} value={id} className="radio-card">
          {icon}
          <span className="radio-card-text">
            <b>{label}</b>
            <span className="soft small">{hint}</span>
          </span>
        </Radio>
      ))}
    </RadioGroup>
  )
}
