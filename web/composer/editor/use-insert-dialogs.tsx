import { type ComponentProps, type ComponentType, type ReactNode, useState } from 'react'
import { flushSync } from 'react-dom'
import { toAppError } from '../../store/app-error.ts'
import { loadPart } from '../../ui/load-part.ts'
import { showToast } from '../../ui/toasts.ts'
import { insertion, snippetEdit } from './formatting.ts'
import type { SnippetsDialog } from './snippets-dialog.tsx'
import { applyEdit, selectionOf } from './text-area.ts'
import type { TimeDialog } from './time-dialog.tsx'

type Opened =
  | {
      readonly kind: 'snippets'
      readonly Dialog: ComponentType<ComponentProps<typeof SnippetsDialog>>
      readonly text: string
    }
  | {
      readonly kind: 'time'
      readonly Dialog: ComponentType<ComponentProps<typeof TimeDialog>>
      readonly from: number
      readonly to: number
    }

/**
 * Opens dialogs that insert into the text area that `field` returns. The dialogs are loaded when they are first opened.
 */
export function useInsertDialogs(field: () => HTMLTextAreaElement | null): {
  openSnippets: () => void
  /**
   * Opens the dialog for a time. The time replaces the text between `from` and the cursor, or the selection if `from`
   * is omitted.
   */
  openTime: (from?: number) => void
  dialog: ReactNode
} {
  const [opened, setOpened] = useState<Opened | null>(null)
  const close = () => setOpened(null)
  const fail = (error: unknown) => showToast(toAppError(error).message, { kind: 'error' })

  function write(toEdit: (area: HTMLTextAreaElement) => Parameters<typeof applyEdit>[1]) {
    // The dialog keeps the focus until it is closed.
    flushSync(close)
    const area = field()
    if (area !== null) applyEdit(area, toEdit(area))
  }

  return {
    openSnippets() {
      loadPart(() => import('./snippets-dialog.tsx')).then(
        ({ SnippetsDialog }) => setOpened({ kind: 'snippets', Dialog: SnippetsDialog, text: field()?.value ?? '' }),
        fail,
      )
    },
    openTime(from) {
      const { selectionStart: start = 0, selectionEnd: to = 0 } = field() ?? {}
      loadPart(() => import('./time-dialog.tsx')).then(
        ({ TimeDialog }) => setOpened({ kind: 'time', Dialog: TimeDialog, from: from ?? start, to }),
        fail,
      )
    },
    dialog:
      opened === null ? null : opened.kind === 'snippets' ? (
        <opened.Dialog
          text={opened.text}
          onInsert={(content) => write((area) => snippetEdit(content, selectionOf(area)))}
          onClose={close}
        />
      ) : (
        <opened.Dialog
          onInsert={(text) => write(() => insertion(opened.from, opened.to, `${text} `))}
          onClose={close}
        />
      ),
  }
}
