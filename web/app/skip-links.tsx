import type { MouseEvent, ReactNode } from 'react'
import { focusIn } from './shortcuts/pane-keys.ts'
import './skip-links.css'
import { t } from '../text/t.ts'

const PARTS: readonly [href: string, label: string, part: string][] = [
  ['#main', t('Skip to the content'), 'main'],
  ['#writing', t('Skip to writing'), '.composer textarea'],
  ['#conversations', t('Skip to the conversations'), '#conversations'],
  ['#people', t('Skip to the people'), '#people'],
]

/** What the first steps of Tab lead to: the ways past everything to the parts of the page that are there. */
export function SkipLinks(): ReactNode {
  const skip = (event: MouseEvent, selector: string) => {
    event.preventDefault()
    const part = document.querySelector<HTMLElement>(selector)
    if (part?.matches('main, textarea')) part.focus()
    else if (part) focusIn(part)
  }
  return PARTS.map(([href, label, part]) => (
    <a key={href} className="skip-link" href={href} onClick={(event) => skip(event, part)}>
      {label}
    </a>
  ))
}
