import { type ReactNode, useRef } from 'react'
import './error-summary.css'
import { t } from '../../text/t.ts'
import { Notice } from '../feedback/notice.tsx'

/** What is wrong in a form, by the names of its fields. */
export type FieldErrors = Readonly<Record<string, string | undefined>>

/** Focuses the first field that is wrong. */
export function focusFirst(form: HTMLFormElement | null, errors: FieldErrors): void {
  const name = Object.keys(errors).find((one) => errors[one] !== undefined)
  if (name !== undefined) form?.querySelector<HTMLElement>(`[name="${name}"]`)?.focus()
}

/** Several errors of a form in one place, each leading to its field. A single one stands beside its field alone. */
export function ErrorSummary({ errors }: { errors: FieldErrors }): ReactNode {
  const summary = useRef<HTMLDivElement>(null)
  const found = Object.entries(errors).flatMap(([name, text]) => (text === undefined ? [] : [{ name, text }]))
  if (found.length < 2) return null
  return (
    <div ref={summary}>
      <Notice
        kind="danger"
        title={t('{count, plural, one {# problem to fix} other {# problems to fix}}', { count: found.length })}
        isUrgent
      >
        <ul className="error-summary">
          {found.map(({ name, text }) => (
            <li key={name}>
              <button
                type="button"
                onClick={() => focusFirst(summary.current?.closest('form') ?? null, { [name]: text })}
              >
                {text}
              </button>
            </li>
          ))}
        </ul>
      </Notice>
    </div>
  )
}
