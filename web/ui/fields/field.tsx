import type { ReactNode } from 'react'
import { FieldError } from 'react-aria-components/FieldError'
import { Input } from 'react-aria-components/Input'
import { Label } from 'react-aria-components/Label'
import { Text } from 'react-aria-components/Text'
import { TextArea } from 'react-aria-components/TextArea'
import { TextField as AriaTextField, type TextFieldProps as AriaTextFieldProps } from 'react-aria-components/TextField'
import './field.css'

export type TextFieldProps = Omit<AriaTextFieldProps, 'className' | 'children'> & {
  label: string
  isLabelHidden?: boolean
  /** What stands under the field and is read with it. */
  description?: ReactNode
  /** What is wrong with the value; shown beside the field and announced. */
  error?: string | null
  /** Number of lines; one when omitted. */
  rows?: number
  placeholder?: string
  /** What belongs to the field and stands behind it, such as a button. */
  after?: ReactNode
}

/** A text field with its label, what explains it, and what is wrong with it. */
export function TextField({
  label,
  isLabelHidden = false,
  description,
  error,
  rows,
  placeholder,
  after,
  ...props
}: TextFieldProps): ReactNode {
  return (
    <AriaTextField {...props} className="field" isInvalid={Boolean(error)} validationBehavior="aria">
      <Label className={isLabelHidden ? 'visually-hidden' : 'field-label'}>{label}</Label>
      {rows === undefined ? (
        <div className="field-line">
          <Input className="field-input" dir="auto" placeholder={placeholder} />
          {after}
        </div>
      ) : (
        <TextArea className="field-input" dir="auto" rows={rows} placeholder={placeholder} />
      )}
      <FieldError className="field-error">{error}</FieldError>
      {description !== undefined && (
        <Text slot="description" className="field-description">
          {description}
        </Text>
      )}
    </AriaTextField>
  )
}
