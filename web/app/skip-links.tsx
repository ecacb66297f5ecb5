import type { MouseEvent, ReactNode } from 'react'
import { focusIn } from './shortcuts/pane-keys.ts'
import './skip-links.css'
import { t } from '../text/t.ts'
import { type Landmark, landmarks } from '../ui/layout/landmarks.ts'

const PARTS: readonly [name: Landmark | 'main', label: string, part: string][] = [
  ['main', t('Skip to content'), 'main'],
  ['writing', t('Skip to compose box'), '.composer textarea'],
  ['conversations', t('Skip to conversations'), '#conversations'],
  ['people', t('Skip to people'), '#people'],
]

/** Links that skip to the parts of the page. Tab reaches them first. */
export function SkipLinks(): ReactNode {
  const skip = (event: MouseEvent, selector: string) => {
    event.preventDefault()
    const part = document.querySelector<HTMLElement>(selector)
    if (part?.matches('main, textarea')) part.focus()
    else if (part) focusIn(part)
  }
  const present = landmarks.use()
  return PARTS.filter(([name]) => name === 'main' || present.has(name)).map(([name, label, part]) => (
    <a key={name} className="skip-link" href={`#${name}`} onClick={(event) => skip(event, part)}>
      {label}
    </a>
  ))
}
