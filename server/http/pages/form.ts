import { type Html, html } from '#lib/encoding/html.ts'
import { t } from '#lib/text/t.ts'
import type { Visitor } from './page.ts'

/** The errors of a form by field name. */
export type FormErrors = Readonly<Record<string, string | undefined>>

/** Returns the first field with an error. */
export function firstError(errors: FormErrors): string | undefined {
  return Object.keys(errors).find((name) => errors[name] !== undefined)
}

/** Returns a function that is true for the field to focus: the first with an error, else the first of the form. */
export function initialFocus(errors: FormErrors, beginning: string): (name: string) => boolean {
  const focused = firstError(errors) ?? beginning
  return (name) => name === focused
}

/** A text field. Its `name` is also its id. */
export type Field = {
  name: string
  label: string
  /** `text` if omitted. */
  type?: 'text' | 'email' | 'password' | undefined
  value?: string | undefined
  hint?: string | undefined
  error?: string | undefined
  /** The HTML token for autofill, such as `email`, `name` or `new-password`. */
  autocomplete?: string | undefined
  isOptional?: boolean | undefined
  isReadOnly?: boolean | undefined
  isFocused?: boolean | undefined
  /** The name of the organization that a new password is for. Scripts check the password against it. */
  organization?: string | undefined
}

/** Renders a field with its label, hint and error. With scripts, passwords get a button to show them. */
export function field({ name, label, type = 'text', value = '', hint, error, ...rest }: Field): Html {
  const described = [hint !== undefined && `${name}-hint`, error !== undefined && `${name}-error`].filter(Boolean)
  return html`<div class="field">
<label for="${name}">${label}${rest.isOptional === true && html` <span class="quiet">${t('(optional)')}</span>`}</label>
${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>\n`}${errorLine(name, error)}<input id="${name}" name="${name}" type="${type}" value="${value}"${type === 'text' && html` dir="auto"`}${
    described.length > 0 && html` aria-describedby="${described.join(' ')}"`
  }${error !== undefined && html` aria-invalid="true"`}${
    rest.autocomplete !== undefined && html` autocomplete="${rest.autocomplete}"`
  }${rest.isOptional !== true && html` required`}${rest.isReadOnly === true && html` readonly`}${
    rest.isFocused === true && html` autofocus`
  }${rest.organization !== undefined && html` data-organization="${rest.organization}"`}>
</div>
`
}

/** Renders a list from which users choose one option. Its `name` is also its id. */
export function selectField(options: {
  name: string
  label: string
  hint?: string
  chosen: string
  among: readonly { value: string; label: string }[]
}): Html {
  const { name, label, hint, chosen, among } = options
  return html`<div class="field">
<label for="${name}">${label}</label>
${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>\n`}<div class="select"><select id="${name}" name="${name}"${hint !== undefined && html` aria-describedby="${name}-hint"`}>
${among.map(({ value, label }) => html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>\n`)}</select></div>
</div>
`
}

export type Choice = {
  /** The name of the form field; the name of the question if omitted. */
  name?: string
  value: string
  label: string
  hint?: string
  isChosen: boolean
}

/**
 * Renders the choices of a question. Users choose one of them (`radio`) or several (`checkbox`). The id of the first
 * choice is the name of the question.
 */
export function choices(options: {
  name?: string
  type: 'radio' | 'checkbox'
  legend: string
  error?: string | undefined
  among: readonly Choice[]
}): Html {
  const { name = '', type, legend, error, among } = options
  return html`<fieldset${error !== undefined && html` aria-describedby="${name}-error"`}>
<legend>${legend}</legend>
${errorLine(name, error)}${among.map((choice, at) => choiceLine(choice.name ?? (at === 0 ? name : `${name}-${at}`), name, type, choice))}</fieldset>
`
}

/** Renders a single checkbox, which sends `on`. */
export function checkbox({ name, label, isChosen = false }: { name: string; label: string; isChosen?: boolean }): Html {
  return choiceLine(name, name, 'checkbox', { value: 'on', label, isChosen })
}

function choiceLine(id: string, question: string, type: string, choice: Choice): Html {
  const { name = question, value, label, hint, isChosen } = choice
  return html`<div class="choice">
<input id="${id}" name="${name}" type="${type}" value="${value}"${isChosen && html` checked`}${
    hint !== undefined && html` aria-describedby="${id}-hint"`
  }>
<div><label for="${id}">${label}</label>${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}</div>
</div>
`
}

function errorLine(name: string, error: string | undefined): Html | null {
  return error === undefined ? null : html`<p class="error" id="${name}-error" role="alert">${error}</p>\n`
}

/** Renders several errors above the form, each with a link to its field. A single error is shown only at its field. */
export function errorSummary(errors: FormErrors): Html | null {
  const known = Object.entries(errors).filter(([, text]) => text !== undefined)
  if (known.length < 2) return null
  return html`<div class="summary" role="alert">
<h2>${t('There is a problem')}</h2>
<ul>${known.map(([name, text]) => html`<li><a href="#${name}">${text}</a></li>`)}</ul>
</div>
`
}

/** Renders a hidden value of the form. */
export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}">\n`
}

/** Renders the CSRF token, which forms of logged-in users must contain. */
export function csrfField({ csrfToken }: Pick<Visitor, 'csrfToken'>): Html {
  return hidden('csrf_token', csrfToken)
}

/** Renders a hidden field that a script fills with the time zone of the browser. */
export function timeZoneField(): Html {
  return html`<input type="hidden" name="timezone" value="" data-time-zone>\n`
}

/** Renders a time in UTC. Scripts show it in the time zone and the format of the browser. */
export function moment(time: number): Html {
  const iso = new Date(time * 1000).toISOString()
  return html`<time datetime="${iso}" data-moment>${t('{time} UTC', { time: iso.slice(0, 16).replace('T', ' ') })}</time>`
}
