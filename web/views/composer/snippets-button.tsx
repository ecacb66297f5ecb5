import NotebookText from 'lucide-react/icons/notebook-text'
import { type ComponentProps, type ComponentType, type ReactNode, useState } from 'react'
import { flushSync } from 'react-dom'
import { toAppError } from '../../store/app-error.ts'
import { loadPart } from '../../store/load-part.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { showToast } from '../../ui/feedback/toasts.ts'
import { snippetEdit } from './formatting.ts'
import type { SnippetsDialog } from './snippets/snippets-dialog.tsx'
import { applyEdit, selectionOf } from './text-area.ts'

type Dialog = ComponentType<ComponentProps<typeof SnippetsDialog>>

/** Opens the snippets, to insert one into the text area that `field` returns or to save its text. */
export function SnippetsButton(props: { field: () => HTMLTextAreaElement | null; isDisabled: boolean }): ReactNode {
  const { field, isDisabled } = props
  const [opened, setOpened] = useState<{ Dialog: Dialog; text: string } | null>(null)

  function open() {
    loadPart(() => import('./snippets/snippets-dialog.tsx')).then(
      ({ SnippetsDialog }) => setOpened({ Dialog: SnippetsDialog, text: field()?.value ?? '' }),
      (error: unknown) => showToast(toAppError(error).message, { kind: 'error' }),
    )
  }

  function write(content: string) {
    // The dialog keeps the focus until it is closed.
    flushSync(() => setOpened(null))
    const area = field()
    if (area !== null) applyEdit(area, snippetEdit(content, selectionOf(area)))
  }

  return (
    <span title={t('Saved snippets')}>
      <Button
        kind="quiet"
        aria-label={t('Saved snippets')}
        aria-haspopup="dialog"
        isDisabled={isDisabled}
        icon={<NotebookText className="icon" aria-hidden="true" />}
        onPress={open}
      />
      {opened !== null && <opened.Dialog text={opened.text} onInsert={write} onClose={() => setOpened(null)} />}
    </span>
  )
}
