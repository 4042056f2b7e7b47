/* comma_locale.h - a locale whose numbers have a decimal comma, made where none is installed. */
#ifndef COMMA_LOCALE_H
#define COMMA_LOCALE_H

#include <stdbool.h>

/* Sets LOCPATH and LC_ALL of this process to such a locale, for children too, and activates it.
 * false: none is installed and localedef could not make one; says so on stderr. */
bool comma_locale_open(void);
void comma_locale_close(void); /* back to "C"; removes what was made */

#endif
