import type { MouseEvent, ReactNode } from 'react'
import { focusIn } from './shortcuts/pane-keys.ts'
import './skip-links.css'
import { t } from '../text/t.ts'

const PARTS: readonly [href: string, label: string, part: string][] = [
  ['#main', t('Skip to content'), 'main'],
  ['#writing', t('Skip to compose box'), '.composer textarea'],
  ['#conversations', t('Skip to conversations'), '#conversations'],
  ['#people', t('Skip to people'), '#people'],
]

/** Links that skip to the panes of the page. Tab reaches them first. */
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
