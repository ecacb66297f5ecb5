import Ellipsis from 'lucide-react/icons/ellipsis'
import { createContext, type MouseEvent, type ReactNode, use, useCallback, useState } from 'react'
import { t } from '../../../text/t.ts'
import type { Point } from '../../../ui/layout/context-menu.tsx'
import { lazyPart } from '../../../ui/lazy-part.tsx'
import type { MenuTarget } from './target-menu.tsx'

const TargetMenu = lazyPart(async () => (await import('./target-menu.tsx')).TargetMenu)

type Open = (target: MenuTarget, at: Point) => void

const OpenRowMenu = createContext<Open>(() => {})

/** Provides the rows in `children` with menus. One menu is open at a time, at the pointer or at the row's button. */
export function RowMenus({ children }: { children: ReactNode }): ReactNode {
  const [opened, setOpened] = useState<{ target: MenuTarget; at: Point; isOpen: boolean } | null>(null)
  const open = useCallback<Open>((target, at) => setOpened({ target, at, isOpen: true }), [])
  const menu = opened && {
    at: opened.at,
    isOpen: opened.isOpen,
    onClose: () => setOpened((before) => before && { ...before, isOpen: false }),
  }
  return (
    <OpenRowMenu value={open}>
      {children}
      {opened !== null && menu !== null && (
        <TargetMenu key={JSON.stringify(opened.target)} target={opened.target} {...menu} />
      )}
    </OpenRowMenu>
  )
}

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
      className="pane-tool"
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
