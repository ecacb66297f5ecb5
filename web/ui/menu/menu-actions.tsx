import { type ComponentType, Fragment, type ReactNode, type SVGProps } from 'react'
import { MenuItem } from 'react-aria-components/Menu'
import { Separator } from 'react-aria-components/Separator'

export type MenuAction = {
  label: string
  run: () => void
  icon?: ComponentType<SVGProps<SVGSVGElement>>
  isDanger?: boolean
  /** True if a line separates the action from the one above it. */
  startsGroup?: boolean
}

/** The items of a menu of actions. `onChoose` gets the function of the chosen action. */
export function MenuActions(props: { items: readonly MenuAction[]; onChoose: (run: () => void) => void }): ReactNode {
  return props.items.map(({ label, run, icon: Icon, isDanger = false, startsGroup = false }, at) => (
    <Fragment key={label}>
      {startsGroup && at > 0 && <Separator className="menu-separator" />}
      <MenuItem
        id={label}
        textValue={label}
        className={`menu-item${Icon === undefined ? '' : ' menu-item-icon'}${isDanger ? ' danger' : ''}`}
        onAction={() => props.onChoose(run)}
      >
        {Icon !== undefined && <Icon className="icon" aria-hidden="true" />}
        {label}
      </MenuItem>
    </Fragment>
  ))
}
