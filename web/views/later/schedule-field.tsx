import type { ReactNode } from 'react'
import { t } from '../../text/t.ts'
import { TextField } from '../../ui/fields/field.tsx'

/** Asks for a date and a time of day, as `toLocalMinute` writes them. */
export function ScheduleField(props: {
  value: string
  error: string | null
  onChange: (value: string) => void
}): ReactNode {
  return <TextField {...props} label={t('When')} name="due" type="datetime-local" isRequired />
}
