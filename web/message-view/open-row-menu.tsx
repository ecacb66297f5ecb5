import Ellipsis from 'lucide-react/icons/ellipsis'
import { createContext, type MouseEvent, type ReactNode, use } from 'react'
import type { Narrow } from '../messages/narrow.ts'
import { t } from '../text/t.ts'
import type { Point } from '../ui/menu.tsx'
import * as css from './open-row-menu.module.css'

/** The channel or conversation of a row with a menu. */
export type MenuTarget = Extract<Narrow, { kind: 'channel' | 'topic' | 'direct' }>

export type OpenMenuOfRow = (target: MenuTarget, at: Point) => void

/** Opens the menu of a row; `RowMenus` provides it. */
export const OpenRowMenu = createContext<OpenMenuOfRow>(() => {})

/** Returns the properties that let a row open its menu on a right click or with the menu key of the keyboard. */
export function useRowMenu(target: MenuTarget): { onContextMenu: (event: MouseEvent) => void } {
  const open = use(OpenRowMenu)
  return {
    onContextMenu(event) {
      event.preventDefault()
      const { left, bottom } = event.currentTarget.getBoundingClientRect()
      // The menu key of the keyboard has no position.
      const isByKey = event.clientX === 0 && event.clientY === 0
      open(target, isByKey ? { x: left + 16, y: bottom } : { x: event.clientX, y: event.clientY })
    },
  }
}

/** The button at the end of a row, shown under the pointer. The keyboard opens the same menu with the menu key. */
export function RowMenuButton({ target, name }: { target: MenuTarget; name: string }): ReactNode {
  const open = use(OpenRowMenu)
  return (
    <button
      type="button"
      className={css.paneTool}
      tabIndex={-1}
      aria-label={t('Actions for {name}', { name })}
      onClick={({ currentTarget }) => {
        const { left, bottom } = currentTarget.getBoundingClientRect()
        open(target, { x: left, y: bottom })
      }}
    >
      <Ellipsis className="icon" aria-hidden="true" />
    </button>
  )
}
