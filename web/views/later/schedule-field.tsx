import type { ReactNode } from 'react'
import { t } from '../../text/t.ts'
import { TextField } from '../../ui/fields/field.tsx'

/** A field for date and time in the format of `toLocalMinute`. */
export function ScheduleField(props: {
  value: string
  error: string | null
  onChange: (value: string) => void
}): ReactNode {
  return <TextField {...props} label={t('When')} name="due" type="datetime-local" isRequired />
}
