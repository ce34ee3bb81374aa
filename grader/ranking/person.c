#include "grader/ranking/person.h"

#include "base/text.h"

#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

/* ==== characters ================================================================================================== */

enum { MOST_CHARACTERS = PERSON_MAX_BYTES + 1 };

/* A letter and a mark that follows it are the same text as one letter, which is what names are kept as (NFC).
 * Source   Unicode Character Database 15, UnicodeData.txt: canonical decompositions of Latin, Greek and Cyrillic letters. */
static const struct {
    wchar_t mark;
    const wchar_t *letters, *composed;
} compositions[] = {
    /* clang-format off */
    {0x0300, L"AEIOUaeiouÜüNnЕИеиĒēŌōWwÂâĂăÊêÔôƠơƯưYy",
     L"ÀÈÌÒÙàèìòùǛǜǸǹЀЍѐѝḔḕṐṑẀẁẦầẰằỀềỒồỜờỪừỲỳ"},
    {0x0301, L"AEIOUYaeiouyCcLlNnRrSsZzÜüGgÅåÆæØø¨ΑΕΗΙΟΥΩϊαεηιϋουωϒГКгкÇçĒēÏïKkMmÕõŌōPpŨũWwÂâĂăÊêÔôƠơƯư",
     L"ÁÉÍÓÚÝáéíóúýĆćĹĺŃńŔŕŚśŹźǗǘǴǵǺǻǼǽǾǿ΅ΆΈΉΊΌΎΏΐάέήίΰόύώϓЃЌѓќḈḉḖḗḮḯḰḱḾḿṌṍṒṓṔṕṸṹẂẃẤấẮắẾếỐốỚớỨứ"},
    {0x0302, L"AEIOUaeiouCcGgHhJjSsWwYyZzẠạẸẹỌọ",
     L"ÂÊÎÔÛâêîôûĈĉĜĝĤĥĴĵŜŝŴŵŶŷẐẑẬậỆệỘộ"},
    {0x0303, L"ANOanoIiUuVvÂâĂăEeÊêÔôƠơƯưYy",
     L"ÃÑÕãñõĨĩŨũṼṽẪẫẴẵẼẽỄễỖỗỠỡỮữỸỹ"},
    {0x0304, L"AaEeIiOoUuÜüÄäȦȧÆæǪǫÖöÕõȮȯYyИиУуGgḶḷṚṛ",
     L"ĀāĒēĪīŌōŪūǕǖǞǟǠǡǢǣǬǭȪȫȬȭȰȱȲȳӢӣӮӯḠḡḸḹṜṝ"},
    {0x0306, L"AaEeGgIiOoUuУИиуЖжАаЕеȨȩẠạ",
     L"ĂăĔĕĞğĬĭŎŏŬŭЎЙйўӁӂӐӑӖӗḜḝẶặ"},
    {0x0307, L"CcEeGgIZzAaOoBbDdFfHhMmNnPpRrSsŚśŠšṢṣTtWwXxYyſ",
     L"ĊċĖėĠġİŻżȦȧȮȯḂḃḊḋḞḟḢḣṀṁṄṅṖṗṘṙṠṡṤṥṦṧṨṩṪṫẆẇẊẋẎẏẛ"},
    {0x0308, L"AEIOUaeiouyYΙΥιυϒЕІеіАаӘәЖжЗзИиОоӨөЭэУуЧчЫыHhÕõŪūWwXxt",
     L"ÄËÏÖÜäëïöüÿŸΪΫϊϋϔЁЇёїӒӓӚӛӜӝӞӟӤӥӦӧӪӫӬӭӰӱӴӵӸӹḦḧṎṏṺṻẄẅẌẍẗ"},
    {0x0309, L"AaÂâĂăEeÊêIiOoÔôƠơUuƯưYy",
     L"ẢảẨẩẲẳẺẻỂểỈỉỎỏỔổỞởỦủỬửỶỷ"},
    {0x030A, L"AaUuwy",
     L"ÅåŮůẘẙ"},
    {0x030B, L"OoUuУу",
     L"ŐőŰűӲӳ"},
    {0x030C, L"CcDdEeLlNnRrSsTtZzAaIiOoUuÜüGgKkƷʒjHh",
     L"ČčĎďĚěĽľŇňŘřŠšŤťŽžǍǎǏǐǑǒǓǔǙǚǦǧǨǩǮǯǰȞȟ"},
    {0x030F, L"AaEeIiOoRrUuѴѵ",
     L"ȀȁȄȅȈȉȌȍȐȑȔȕѶѷ"},
    {0x0311, L"AaEeIiOoRrUu",
     L"ȂȃȆȇȊȋȎȏȒȓȖȗ"},
    {0x031B, L"OoUu",
     L"ƠơƯư"},
    {0x0323, L"BbDdHhKkLlMmNnRrSsTtVvWwZzAaEeIiOoƠơUuƯưYy",
     L"ḄḅḌḍḤḥḲḳḶḷṂṃṆṇṚṛṢṣṬṭṾṿẈẉẒẓẠạẸẹỊịỌọỢợỤụỰựỴỵ"},
    {0x0324, L"Uu",
     L"Ṳṳ"},
    {0x0325, L"Aa",
     L"Ḁḁ"},
    {0x0326, L"SsTt",
     L"ȘșȚț"},
    {0x0327, L"CcGgKkLlNnRrSsTtEeDdHh",
     L"ÇçĢģĶķĻļŅņŖŗŞşŢţȨȩḐḑḨḩ"},
    {0x0328, L"AaEeIiUuOo",
     L"ĄąĘęĮįŲųǪǫ"},
    {0x032D, L"DdEeLlNnTtUu",
     L"ḒḓḘḙḼḽṊṋṰṱṶṷ"},
    {0x032E, L"Hh",
     L"Ḫḫ"},
    {0x0330, L"EeIiUu",
     L"ḚḛḬḭṴṵ"},
    {0x0331, L"BbDdKkLlNnRrTtZzh",
     L"ḆḇḎḏḴḵḺḻṈṉṞṟṮṯẔẕẖ"},
    /* clang-format on */
};
enum { COMPOSITIONS = sizeof compositions / sizeof *compositions };

/* Source   Unicode Character Database 15, DerivedCoreProperties.txt: Default_Ignorable_Code_Point, and the marks of direction. */
static const struct {
    wchar_t first, last;
} invisible[] = {{0x00AD, 0x00AD},   {0x034F, 0x034F},  {0x061C, 0x061C}, {0x115F, 0x1160}, {0x17B4, 0x17B5},
                 {0x180B, 0x180F},   {0x200B, 0x200F},  {0x2028, 0x202E}, {0x2060, 0x206F}, {0x3164, 0x3164},
                 {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},  {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFF8}, {0x1BCA0, 0x1BCA3},
                 {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}};

static bool is_invisible(wchar_t c)
{
    for (size_t i = 0; i < sizeof invisible / sizeof *invisible; i++)
        if (c >= invisible[i].first && c <= invisible[i].last)
            return true;
    return false;
}

/* Letters that look like one of ASCII's, as capitals and as small ones; i, l and 1 look alike, too.
 * Source   Unicode Technical Standard 39, confusables.txt, as far as Greek and Cyrillic letters go. */
static const wchar_t alike_capitals[] = L"ΑΒΕΖΗΙΚΜΝΟΡΤΥΧАВЕЅІЈКМНОРСТУХԌԚԜӀ",
                     ascii_capitals[] = L"abezhlkmnoptyxabesljkmhopctyxgqwl",
                     alike_small[] = L"αγιονρτυχκωасеорухіјѕһԁԛԝгпкмтнвьıi1|0",
                     ascii_small[] = L"aylovptuxkwaceopyxljshdqwrnkmthbbllllo";
_Static_assert(sizeof alike_capitals == sizeof ascii_capitals && sizeof alike_small == sizeof ascii_small, "pairs");

/* The character that looks like `c`, without its marks. */
static wchar_t look_of(wchar_t c)
{
    if (c >= 0xFF01 && c <= 0xFF5E) /* the wide forms of ASCII */
        c -= 0xFEE0;
    else if (c >= 0x1D400 && c <= 0x1D6A3) /* the alphabets of mathematics: bold, script, ... */
        c = L'a' + (c - 0x1D400) % 26;
    else if (c >= 0x1D7CE && c <= 0x1D7FF)
        c = L'0' + (c - 0x1D7CE) % 10;
    else if (c >= 0x24B6 && c <= 0x24E9) /* letters in circles */
        c = L'a' + (c - 0x24B6) % 26;
    for (int i = 0; i < COMPOSITIONS; i++) {
        const wchar_t *found = wcschr(compositions[i].composed, c);
        if (found != NULL)
            return look_of(compositions[i].letters[found - compositions[i].composed]);
    }
    const wchar_t *capital = wcschr(alike_capitals, c);
    if (capital != NULL)
        return ascii_capitals[capital - alike_capitals];
    c = (wchar_t)towlower((wint_t)c);
    const wchar_t *small = wcschr(alike_small, c);
    return small == NULL ? c : ascii_small[small - alike_small];
}

/* False: the bytes are no text of this locale. */
static bool to_wide(const char *name, wchar_t wide[MOST_CHARACTERS])
{
    const size_t count = mbstowcs(wide, name, MOST_CHARACTERS);
    if (count == (size_t)-1 || count >= MOST_CHARACTERS)
        return false;
    return true;
}

/* What is left of a name when look-alikes are one, and marks and what is not seen are left out. */
static void skeleton_of(const char *name, wchar_t skeleton[MOST_CHARACTERS])
{
    wchar_t wide[MOST_CHARACTERS];
    size_t count = 0;
    for (const wchar_t *c = to_wide(name, wide) ? wide : L""; *c != L'\0'; c++)
        if (!is_invisible(*c) && !(*c >= 0x0300 && *c <= 0x036F) && !iswspace((wint_t)*c))
            skeleton[count++] = look_of(*c);
    skeleton[count] = L'\0';
}

bool person_looks_like(const char *a, const char *b)
{
    wchar_t first[MOST_CHARACTERS], second[MOST_CHARACTERS];
    skeleton_of(a, first);
    skeleton_of(b, second);
    return strcmp(a, b) == 0 || (first[0] != L'\0' && wcscmp(first, second) == 0);
}

static wchar_t composed(wchar_t letter, wchar_t mark)
{
    for (int i = 0; i < COMPOSITIONS; i++) {
        const wchar_t *found = mark == compositions[i].mark ? wcschr(compositions[i].letters, letter) : NULL;
        if (found != NULL)
            return compositions[i].composed[found - compositions[i].letters];
    }
    return L'\0';
}

/* ==== person ====================================================================================================== */

Status person_take(const char *given, char name[PERSON_MAX_BYTES + 1], Message *why)
{
    wchar_t wide[MOST_CHARACTERS];
    size_t count = 0;
    TRY(person_check(given, why));
    strcpy(name, given);
    for (const wchar_t *c = to_wide(given, wide) ? wide : L""; *c != L'\0'; c++) {
        const wchar_t one = count == 0 ? L'\0' : composed(wide[count - 1], *c);
        if (one != L'\0')
            wide[count - 1] = one;
        else
            wide[count++] = *c;
    }
    wide[count] = L'\0';
    if (count > 0 && wcstombs(name, wide, PERSON_MAX_BYTES + 1) > PERSON_MAX_BYTES)
        strcpy(name, given);
    return STATUS_OK;
}

/* Besides control characters, this refuses what is not seen, and marks that reverse the direction of text, which would garble the
 * table. */
static bool is_printable(const char *name)
{
    wchar_t wide[MOST_CHARACTERS];
    if (!to_wide(name, wide))
        return false;
    for (const wchar_t *c = wide; *c != L'\0'; c++)
        if (!iswprint((wint_t)*c) || is_invisible(*c))
            return false;
    return true;
}

Status person_check(const char *name, Message *why)
{
    size_t length = strlen(name);
    if (length == 0)
        return fail(STATUS_BAD_INPUT, why, "the name is empty, expected 1 to %d bytes of text", PERSON_MAX_BYTES);
    if (length > PERSON_MAX_BYTES)
        return fail(STATUS_BAD_INPUT, why, "the name has %zu bytes, expected at most %d", length, PERSON_MAX_BYTES);
    if (!text_is_utf8(name, length, NULL) || !is_printable(name))
        return fail(STATUS_BAD_INPUT, why,
                    "the name contains characters that cannot be seen or printed, expected plain UTF-8 text");
    if (name[0] == ' ' || name[length - 1] == ' ')
        return fail(STATUS_BAD_INPUT, why, "the name begins or ends with a space");
    return STATUS_OK;
}

void person_login(char name[PERSON_MAX_BYTES + 1])
{
    const struct passwd *entry = getpwuid(getuid());
    if (entry != NULL && person_check(entry->pw_name, NULL) == STATUS_OK)
        strcpy(name, entry->pw_name);
    else
        snprintf(name, PERSON_MAX_BYTES + 1, "uid %u", getuid());
}

Status person_choose(const char *given, char name[PERSON_MAX_BYTES + 1], Message *why)
{
    if (given == NULL) {
        person_login(name);
        return STATUS_OK;
    }
    return person_take(given, name, why);
}
