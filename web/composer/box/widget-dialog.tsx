import GripVertical from 'lucide-react/icons/grip-vertical'
import X from 'lucide-react/icons/x'
import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogForm } from '../../ui/dialog.tsx'
import { type FieldKeyEvent, TextField } from '../../ui/field.tsx'
import { messageTextError } from '../errors.ts'
import * as css from './widget-dialog.module.css'
import { type WidgetDraft, type WidgetKind, widgetText } from './widget-text.ts'

const TEXTS = {
  poll: {
    dialog: t('New poll'),
    title: t('Question'),
    missing: t('Write a question.'),
    items: t('Options'),
    item: (number: number) => t('Option {number, number}', { number }),
    add: t('Add an option'),
    hint: t('Everyone can add options, and choose several.'),
    action: t('Post poll'),
  },
  todo: {
    dialog: t('New to-do list'),
    title: t('Title'),
    missing: t('Write a title.'),
    items: t('Tasks'),
    item: (number: number) => t('Task {number, number}', { number }),
    add: t('Add a task'),
    hint: t('Everyone can add tasks, and check them off. Write details after a colon.'),
    action: t('Post to-do list'),
  },
}

/** Asks for a poll or to-do list, and posts it. `destination` names the conversation in which it appears. */
export function WidgetDialog(props: {
  kind: WidgetKind
  draft: WidgetDraft
  destination: string
  onPost: (text: string) => void
  /** Gets what was written when the dialog closes; null if the user cancels. */
  onKeep: (draft: WidgetDraft | null) => void
  onClose: () => void
}): ReactNode {
  const { kind, draft, destination, onPost, onKeep, onClose } = props
  const texts = TEXTS[kind]
  const [title, setTitle] = useState(draft.title)
  const [items, setItems] = useState<readonly string[]>([...draft.items, ''])
  const [dragged, setDragged] = useState<number | null>(null)
  const [error, setError] = useState<string | null>(null)
  const form = useRef<HTMLFormElement>(null)

  function submit() {
    const text = widgetText(kind, { title, items })
    const found = title.trim() === '' ? texts.missing : messageTextError(text)
    setError(found)
    if (found === null) onPost(text)
  }

  function close(kept: WidgetDraft | null) {
    onKeep(kept)
    onClose()
  }

  /** Changes an item. There is always an empty field for the next one. */
  function write(at: number, text: string) {
    const changed = items.with(at, text)
    setItems(changed.at(-1) === '' ? changed : [...changed, ''])
  }

  function remove(at: number) {
    setItems(items.toSpliced(at, 1))
    focusItem(at)
  }

  /** Moves an item to the place of another one. The empty field stays the last. */
  function move(from: number, to: number): boolean {
    if (from === to || to < 0 || to >= items.length - 1) return false
    setItems(items.toSpliced(from, 1).toSpliced(to, 0, items[from]!))
    return true
  }

  /** Moves the item of a handle with the arrow keys. The focus stays on the item. */
  function moveByKey(event: KeyboardEvent, at: number) {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    if (!move(at, at + step)) return
    flushSync(() => {})
    form.current?.querySelectorAll<HTMLElement>('.widget-handle')[at + step]?.focus()
  }

  /** Moves the dragged item to the row under the pointer. */
  function drag({ clientY }: PointerEvent) {
    if (dragged === null) return
    const rows = [...(form.current?.querySelectorAll('.widget-items .field') ?? [])]
    const to = rows.findIndex((row) => clientY < row.getBoundingClientRect().bottom)
    if (move(dragged, to)) setDragged(to)
  }

  /** Focuses an item after the changes of the event handler are shown. The next key already belongs to it. */
  function focusItem(at: number) {
    flushSync(() => {})
    form.current?.querySelectorAll<HTMLElement>('.widget-items input')[at]?.focus()
  }

  /** Goes to the next field with Enter. Enter in the last, empty field posts, and so does Ctrl+Enter in any field. */
  function onKeyDown(event: FieldKeyEvent, at: number) {
    // Escape closes the dialog.
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return event.continuePropagation()
    const isLast = at === items.length - 1
    event.preventDefault()
    if (isLast || event.ctrlKey || event.metaKey) form.current?.requestSubmit()
    else focusItem(at + 1)
  }

  return (
    <Dialog
      title={texts.dialog}
      isOpen
      onClose={() => close({ title, items: items.filter((item) => item !== '') })}
      ignoresClicksOutside
    >
      <DialogForm
        ref={form}
        action={texts.action}
        note={t('Posts to {destination}', { destination })}
        isPending={false}
        onSubmit={submit}
        onCancel={() => close(null)}
      >
        <TextField
          label={texts.title}
          name="title"
          autoFocus
          value={title}
          error={error}
          onChange={(text) => {
            setTitle(text)
            setError(null)
          }}
          onKeyDown={(event) => onKeyDown(event, -1)}
        />
        <fieldset className={css.widgetItems}>
          <legend className="field-label">{texts.items}</legend>
          {items.map((item, at) => (
            <TextField
              key={at}
              label={texts.item(at + 1)}
              isLabelHidden
              value={item}
              placeholder={at === items.length - 1 ? texts.add : ''}
              onChange={(text) => write(at, text)}
              onKeyDown={(event) => onKeyDown(event, at)}
              after={
                at < items.length - 1 && (
                  <>
                    <button
                      type="button"
                      className={css.widgetHandle}
                      data-dragged={at === dragged || undefined}
                      aria-label={t('Move {name}, {position, number} of {count, number}', {
                        name: item || texts.item(at + 1),
                        position: at + 1,
                        count: items.length - 1,
                      })}
                      title={t('Drag, or press the arrow keys')}
                      onKeyDown={(event) => moveByKey(event, at)}
                      onPointerDown={(event) => {
                        event.currentTarget.setPointerCapture(event.pointerId)
                        setDragged(at)
                      }}
                      onPointerMove={drag}
                      onLostPointerCapture={() => setDragged(null)}
                    >
                      <GripVertical className="icon" aria-hidden="true" />
                    </button>
                    <Button
                      kind="quiet"
                      aria-label={t('Remove {name}', { name: item || texts.item(at + 1) })}
                      icon={<X className="icon" aria-hidden="true" />}
                      onPress={() => remove(at)}
                    />
                  </>
                )
              }
            />
          ))}
        </fieldset>
        <p className="soft small">{texts.hint}</p>
      </DialogForm>
    </Dialog>
  )
}
