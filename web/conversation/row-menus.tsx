import { type ReactNode, useCallback, useState } from 'react'
import { type MenuTarget, type OpenMenuOfRow, OpenRowMenu } from '../message-view/open-row-menu.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import type { Point } from '../ui/menu.tsx'

const TargetMenu = lazyPart(async () => (await import('./menus/target-menu.tsx')).TargetMenu)

/** Provides the rows in `children` with menus. One menu is open at a time, at the pointer or at the row's button. */
export function RowMenus({ children }: { children: ReactNode }): ReactNode {
  const [opened, setOpened] = useState<{ target: MenuTarget; at: Point; isOpen: boolean } | null>(null)
  const open = useCallback<OpenMenuOfRow>((target, at) => setOpened({ target, at, isOpen: true }), [])
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
