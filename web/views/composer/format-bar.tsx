import Bold from 'lucide-react/icons/bold'
import Code from 'lucide-react/icons/code'
import EyeOff from 'lucide-react/icons/eye-off'
import Italic from 'lucide-react/icons/italic'
import Link from 'lucide-react/icons/link'
import List from 'lucide-react/icons/list'
import TextQuote from 'lucide-react/icons/text-quote'
import type { KeyboardEvent, ReactNode } from 'react'
import { Toolbar } from 'react-aria-components/Toolbar'
import { Button } from '../../ui/buttons/button.tsx'
import './format-bar.css'
import { t } from '../../text/t.ts'
import { EmojiButton } from './emoji-button.tsx'
import { type Format, formatEdit } from './formatting.ts'
import { applyEdit, selectionOf } from './text-area.ts'

const TOOLS: readonly { format: Format; label: string; keys?: string; Icon: typeof Bold }[] = [
  { format: 'bold', label: t('Bold'), keys: 'Ctrl+B', Icon: Bold },
  { format: 'italic', label: t('Italic'), keys: 'Ctrl+I', Icon: Italic },
  { format: 'link', label: t('Link'), keys: 'Ctrl+Shift+L', Icon: Link },
  { format: 'list', label: t('List'), Icon: List },
  { format: 'quote', label: t('Quote'), Icon: TextQuote },
  { format: 'code', label: t('Code'), Icon: Code },
  { format: 'spoiler', label: t('Spoiler'), Icon: EyeOff },
]

/** Puts formats on what is selected in the text area that `field` finds, or an emoji in its place. */
export function FormatBar(props: { field: () => HTMLTextAreaElement | null; isDisabled?: boolean }): ReactNode {
  const { field, isDisabled = false } = props
  return (
    <Toolbar className="format-bar" aria-label={t('Format')}>
      {TOOLS.map(({ format, label, keys, Icon }) => (
        <span key={format} title={keys === undefined ? label : `${label} (${keys})`}>
          <Button
            kind="quiet"
            aria-label={label}
            isDisabled={isDisabled}
            icon={<Icon className="icon" aria-hidden="true" />}
            onPress={() => {
              const area = field()
              if (area !== null) applyFormat(area, format)
            }}
          />
        </span>
      ))}
      <EmojiButton field={field} isDisabled={isDisabled} />
    </Toolbar>
  )
}

/** Formats what is selected where the keys ask for that; whether they did. */
export function formatByKey(event: KeyboardEvent): boolean {
  const format = formatOfKeys(event)
  if (format === null || !(event.target instanceof HTMLTextAreaElement)) return false
  event.preventDefault()
  applyFormat(event.target, format)
  return true
}

function formatOfKeys({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): Format | null {
  if (!(ctrlKey || metaKey) || altKey) return null
  const letter = key.toLowerCase()
  if (shiftKey) return letter === 'l' ? 'link' : null
  return letter === 'b' ? 'bold' : letter === 'i' ? 'italic' : null
}

const applyFormat = (area: HTMLTextAreaElement, format: Format) =>
  applyEdit(area, formatEdit(format, selectionOf(area)))
