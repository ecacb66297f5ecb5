import { type ReactNode, useEffect, useRef } from 'react'
import { t } from '../text/t.ts'
import { Button } from './button.tsx'
import * as css from './selection-bar.module.css'

/** Actions for the selected rows of a table. They are shown above the table while any row is selected. */
export function SelectionBar(props: {
  label: string
  count: number
  onClear: () => void
  children: ReactNode
}): ReactNode {
  const { label, count, onClear, children } = props
  return (
    <section className={css.selectionBar} aria-label={label} hidden={count === 0}>
      <b role="status">{t('{count} selected', { count })}</b>
      {children}
      <Button kind="quiet" onPress={onClear}>
        {t('Clear selection')}
      </Button>
    </section>
  )
}

/** The time that a closed menu or dialog has to return the focus to a removed button, in milliseconds. */
const MOMENT = 100

const OVERLAYS = '[role="dialog"], [role="alertdialog"], [role="menu"]'

/** Moves the focus to the next row when the focused row is removed. `count` is the number of rows in the table. */
export function useStableFocus(count: number): { current: HTMLDivElement | null } {
  const container = useRef<HTMLDivElement>(null)
  const before = useRef(count)
  /** The index of the row that had the focus last; null if no row had it. */
  const last = useRef<number>(null)

  useEffect(() => {
    const record = ({ target }: FocusEvent) => {
      const row = (target as Element).closest('tbody tr')
      last.current = row === null ? 0 : [...row.parentElement!.children].indexOf(row)
    }
    const element = container.current
    element?.addEventListener('focusin', record)
    return () => element?.removeEventListener('focusin', record)
  }, [])

  useEffect(() => {
    const isFewer = count < before.current
    before.current = count
    if (!isFewer) return
    let timer = setTimeout(follow, MOMENT)
    function follow(): void {
      const focused = document.activeElement
      // The row can be gone before the dialog that removed it closes.
      if (focused?.closest(OVERLAYS)) timer = setTimeout(follow, MOMENT)
      if (last.current === null || focused !== document.body) return
      const rows = [...(container.current?.querySelectorAll('tbody tr') ?? [])]
      const next = rows[Math.min(last.current, rows.length - 1)] ?? container.current
      next?.querySelector<HTMLElement>('button, input')?.focus()
    }
    return () => clearTimeout(timer)
  }, [count])
  return container
}
