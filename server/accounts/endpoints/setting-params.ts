import type { z } from 'zod'
import { type UserSettingName, userSettingDeclarations } from '#people/users/settings/settings.ts'

type Declarations = typeof userSettingDeclarations

/** The personal settings as optional parameters. */
export const settingParams = Object.fromEntries(
  Object.entries(userSettingDeclarations).map(([name, { type }]) => [name, type.optional()]),
) as { [Name in UserSettingName]: z.ZodOptional<Declarations[Name]['type']> }
