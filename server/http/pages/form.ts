import { type Html, html } from '../../platform/encoding/html.ts'
import type { Visitor } from './page.ts'

/** What is wrong with a form, by the name of the field. */
export type FormErrors = Readonly<Record<string, string | undefined>>

/** The first field that something is wrong with. */
export function firstError(errors: FormErrors): string | undefined {
  return Object.keys(errors).find((name) => errors[name] !== undefined)
}

/** Which field is to have the focus: the first that something is wrong with, else the one that the form begins with. */
export function initialFocus(errors: FormErrors, beginning: string): (name: string) => boolean {
  const focused = firstError(errors) ?? beginning
  return (name) => name === focused
}

/** A line to fill in. Its `name` is its id as well. */
export type Field = {
  name: string
  label: string
  /** `text`, when omitted. */
  type?: 'text' | 'email' | 'password' | undefined
  value?: string | undefined
  hint?: string | undefined
  error?: string | undefined
  /** What browsers fill in by themselves: a token of HTML, such as `email`, `name` or `new-password`. */
  autocomplete?: string | undefined
  isOptional?: boolean | undefined
  isReadOnly?: boolean | undefined
  isFocused?: boolean | undefined
}

/** A line with its label, hint and error. Passwords get a button to show them, where there are scripts. */
export function field({ name, label, type = 'text', value = '', hint, error, ...rest }: Field): Html {
  const described = [hint !== undefined && `${name}-hint`, error !== undefined && `${name}-error`].filter(Boolean)
  return html`<div class="field">
<label for="${name}">${label}${rest.isOptional === true && html` <span class="quiet">(optional)</span>`}</label>
${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>\n`}${errorLine(name, error)}<input id="${name}" name="${name}" type="${type}" value="${value}"${type === 'text' && html` dir="auto"`}${
    described.length > 0 && html` aria-describedby="${described.join(' ')}"`
  }${error !== undefined && html` aria-invalid="true"`}${
    rest.autocomplete !== undefined && html` autocomplete="${rest.autocomplete}"`
  }${rest.isOptional !== true && html` required`}${rest.isReadOnly === true && html` readonly`}${
    rest.isFocused === true && html` autofocus`
  }>
</div>
`
}

export type Choice = {
  /** That of its question, when omitted. */
  name?: string
  value: string
  label: string
  hint?: string
  isChosen: boolean
}

/** Several choices under one question: one of them, or any number. The first has the question's name as id. */
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

/** A single thing to tick; sends `on`. */
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
  return error === undefined ? null : html`<p class="error" id="${name}-error">${error}</p>\n`
}

/** What is wrong, before the form, each with a link to its field; nothing where nothing is. */
export function errorSummary(errors: FormErrors): Html | null {
  const known = Object.entries(errors).filter(([, text]) => text !== undefined)
  if (known.length === 0) return null
  return html`<div class="summary" role="alert">
<h2>That did not work yet</h2>
<ul>${known.map(([name, text]) => html`<li><a href="#${name}">${text}</a></li>`)}</ul>
</div>
`
}

/** A value that the form sends along. */
export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}">\n`
}

/** What the forms of people who are signed in must hold. */
export function csrfField({ csrfToken }: Pick<Visitor, 'csrfToken'>): Html {
  return hidden('csrf_token', csrfToken)
}

/** Filled in by the script with the time zone of the browser; '' without it. */
export function timeZoneField(): Html {
  return html`<input type="hidden" name="timezone" value="" data-time-zone>\n`
}
