import type { ReactNode } from 'react'
import { useLetterKeys } from '../store/letter-keys.ts'
import { CheckboxField } from '../ui/checkbox-field.tsx'
import { Dialog } from '../ui/dialog.tsx'
import './shortcut-list.css'

const SHORTCUTS: readonly [keys: string, does: string][] = [
  ['?', 'Show this list'],
  ['/ or Ctrl+K', 'Search'],
  ['J or ↓', 'The next message'],
  ['K or ↑', 'The message before'],
  ['End', 'The newest message'],
  ['R or Enter', 'Answer'],
  ['C', 'Write a message'],
  ['Esc', 'Back from writing, or from a pane, to the messages'],
  ['N', 'The next topic with something unread'],
  ['P', 'The next direct message that is unread'],
  ['X', 'A new direct message'],
  ['Shift+I', 'Inbox'],
  ['T', 'Recent conversations'],
  ['A', 'Combined'],
  ['D', 'Drafts'],
  ['Q', 'Filter the channels'],
  ['W', 'Filter the people'],
  ['>', 'Quote the message'],
  ['E', 'Edit the message where one may, else see its source'],
  [':', 'React with any emoji'],
  ['+', 'React with a thumb up'],
  ['=', 'React as the first did'],
  ['I', 'The menu of the message'],
  ['M', 'Move the message'],
  ['Shift+H', 'The history of the message'],
  ['Shift+U', 'Mark as unread from the message on'],
  ['Ctrl+S', 'Star the message'],
  ['F6', 'The next part of the page'],
]

/** All keys that do something by themselves, and what turns off those that are letters. */
// biome-ignore lint/style/noDefaultExport: React's lazy reads it so
export default function ShortcutList({ onClose }: { onClose: () => void }): ReactNode {
  const [areOn, setOn] = useLetterKeys()
  return (
    <Dialog title="Keyboard shortcuts" isOpen onClose={onClose}>
      <div className="dialog-body shortcuts">
        <CheckboxField isSelected={areOn} onChange={setOn}>
          Letters and signs are shortcuts on this device
        </CheckboxField>
        <dl className="shortcut-list">
          {SHORTCUTS.map(([keys, does]) => (
            <div key={keys}>
              <dt>
                <kbd>{keys}</kbd>
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Dialog>
  )
}
