import { type ComponentProps, type ComponentType, type ReactNode, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { toAppError } from '../../store/app-error.ts'
import { loadPart } from '../../ui/load-part.ts'
import { showToast } from '../../ui/toasts.ts'
import type { Destination } from '../destination.ts'
import type { CallKind } from './format-bar.tsx'
import { type Edit, emojiEdit, insertion, type Selection, snippetEdit } from './formatting.ts'
import type { GifPicker } from './gif-picker.tsx'
import type { SnippetsDialog } from './snippets-dialog.tsx'
import type { ZoomDialog } from './start-call.tsx'
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
  | { readonly kind: 'gifs'; readonly Dialog: ComponentType<ComponentProps<typeof GifPicker>> }
  | {
      readonly kind: 'zoom'
      readonly Dialog: ComponentType<ComponentProps<typeof ZoomDialog>>
      readonly call: CallKind
      readonly toEdit: (address: string, selection: Selection) => Edit
    }

/**
 * Inserts calls, and what users choose in dialogs, into the text area that `field` returns. The dialogs are loaded when
 * they are first opened.
 */
export function useInsertDialogs(
  field: () => HTMLTextAreaElement | null,
  destination: Destination,
): {
  /** Inserts a link to a new call. */
  startCall: (kind: CallKind) => void
  openGifs: () => void
  openSnippets: () => void
  /**
   * Opens the dialog for a time. The time replaces the text between `from` and the cursor, or the selection if `from`
   * is omitted.
   */
  openTime: (from?: number) => void
  dialog: ReactNode
} {
  const [opened, setOpened] = useState<Opened | null>(null)
  const isStarting = useRef(false)
  const close = () => setOpened(null)
  const fail = (error: unknown) => showToast(toAppError(error).message, { kind: 'error' })

  function write(toEdit: (area: HTMLTextAreaElement) => Parameters<typeof applyEdit>[1]) {
    // The dialog keeps the focus until it is closed.
    flushSync(close)
    const area = field()
    if (area !== null) applyEdit(area, toEdit(area))
  }

  async function insertCall(kind: CallKind) {
    const { callEdit, startCall, ZoomDialog } = await loadPart(() => import('./start-call.tsx'))
    const address = await startCall(kind, destination)
    if (address === null) {
      const toEdit = (address: string, selection: Selection) => callEdit(address, kind, selection)
      setOpened({ kind: 'zoom', Dialog: ZoomDialog, call: kind, toEdit })
    } else write((area) => callEdit(address, kind, selectionOf(area)))
  }

  function dialogOf(opened: Opened): ReactNode {
    switch (opened.kind) {
      case 'snippets':
        return (
          <opened.Dialog
            text={opened.text}
            onInsert={(content) => write((area) => snippetEdit(content, selectionOf(area)))}
            onClose={close}
          />
        )
      case 'time':
        return (
          <opened.Dialog
            onInsert={(text) => write(() => insertion(opened.from, opened.to, `${text} `))}
            onClose={close}
          />
        )
      case 'gifs':
        return (
          <opened.Dialog
            onInsert={(markdown) => write((area) => emojiEdit(markdown, selectionOf(area)))}
            onClose={close}
          />
        )
      case 'zoom':
        return (
          <opened.Dialog
            kind={opened.call}
            onStart={(address) => write((area) => opened.toEdit(address, selectionOf(area)))}
            onClose={close}
          />
        )
    }
  }

  return {
    startCall(kind) {
      if (isStarting.current) return
      isStarting.current = true
      insertCall(kind)
        .catch(fail)
        .finally(() => {
          isStarting.current = false
        })
    },
    openGifs() {
      loadPart(() => import('./gif-picker.tsx')).then(
        ({ GifPicker }) => setOpened({ kind: 'gifs', Dialog: GifPicker }),
        fail,
      )
    },
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
    dialog: opened === null ? null : dialogOf(opened),
  }
}
