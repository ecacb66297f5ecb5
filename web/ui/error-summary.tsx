import { type ReactNode, useRef } from 'react'
import { t } from '../text/t.ts'
import * as css from './error-summary.module.css'
import { Notice } from './notice.tsx'

/** The errors of a form, by field name. */
export type FieldErrors = Readonly<Record<string, string | undefined>>

/** Focuses the first field with an error. */
export function focusFirst(form: HTMLFormElement | null, errors: FieldErrors): void {
  const name = Object.keys(errors).find((one) => errors[one] !== undefined)
  if (name !== undefined) form?.querySelector<HTMLElement>(`[name="${name}"]`)?.focus()
}

/** A list of a form's errors with links to the fields. A single error is shown only next to its field. */
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
        <ul className={css.errorSummary}>
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
