import type { ReactNode } from 'react'
import { t } from '../../../text/t.ts'
import { AutosaveField } from '../../settings/autosave-field.tsx'
import { FieldKind } from '../field.ts'
import { type AnswerProps, answerHint, REQUIRED_FIELD_HINT } from './answer.ts'

/** The maximum lengths of short and long text, in code points. */
const MAX_SHORT = 50
const MAX_LONG = 500

/** Input types of fields that are not plain text. */
const INPUTS: Readonly<Record<number, { rows?: number; type?: 'date' | 'url' }>> = {
  [FieldKind.longText]: { rows: 4 },
  [FieldKind.date]: { type: 'date' },
  [FieldKind.link]: { type: 'url' },
}

/** A field for text, a date, a URL or an account name, saved on blur. */
export function TextAnswer({ field, value: answer, save }: AnswerProps): ReactNode {
  const { name, type, required } = field
  const hint = answerHint(field)

  function check(value: string): string | null {
    const text = value.trim()
    if (text === '' && required) return REQUIRED_FIELD_HINT
    const most = type === FieldKind.link ? Number.POSITIVE_INFINITY : type === FieldKind.longText ? MAX_LONG : MAX_SHORT
    return [...text].length > most
      ? t('Use at most {most, plural, one {# character} other {# characters}}.', { most })
      : null
  }

  return (
    <AutosaveField
      {...INPUTS[type]}
      label={name}
      value={answer?.value ?? ''}
      {...(hint !== undefined && { description: hint })}
      isRequired={required}
      check={check}
      save={(value) => save(value.trim())}
    />
  )
}
