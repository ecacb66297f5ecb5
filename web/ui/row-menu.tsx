import Ellipsis from 'lucide-react/icons/ellipsis'
import type { ReactNode } from 'react'
import { Button } from 'react-aria-components/Button'
import { lazyPart } from './lazy-part.tsx'
import type { MenuAction } from './menu.tsx'
import { MenuButton } from './menu-button.tsx'

const ActionItems = lazyPart(async () => (await import('./menu.tsx')).ActionItems)

/** The menu of a table row. Without actions, it is not rendered. */
export function RowMenu({ label, items }: { label: string; items: readonly MenuAction[] }): ReactNode {
  if (items.length === 0) return null
  return (
    <MenuButton
      placement="bottom end"
      load={ActionItems.load}
      button={(props) => (
        <Button {...props} className="button button-quiet button-round" aria-label={label}>
          <Ellipsis className="icon" aria-hidden="true" />
        </Button>
      )}
    >
      {(menu) => <ActionItems {...menu} items={items} />}
    </MenuButton>
  )
}
