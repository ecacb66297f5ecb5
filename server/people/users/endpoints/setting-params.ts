import type { z } from 'zod'
import { type UserSettingName, userSettingDeclarations } from '../settings/settings.ts'

type Declarations = typeof userSettingDeclarations

/** The personal settings as parameters; what is omitted stays. */
export const settingParams = Object.fromEntries(
  Object.entries(userSettingDeclarations).map(([name, { type }]) => [name, type.optional()]),
) as { [Name in UserSettingName]: z.ZodOptional<Declarations[Name]['type']> }
