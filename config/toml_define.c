/*
 * toml_define.c - who may add what to which table. The rules of TOML 1.0 ("Table", "Array of Tables", "Inline
 * Table", "Keys") hang on how a thing came to be:
 *
 *     came from          t.x = …     [t.x], [[t.x]]      [t]          [[t]]
 *     nothing yet        makes it    makes it            makes it     makes it
 *     a value            no          no                  no           no
 *     [t], the root      no          yes                 no           no
 *     [t.x] only         yes (1)     yes                 yes (2)      no
 *     t.x = …            yes (3)     yes                 no           no
 *     [[t]]              no          its last element    no           one more element
 *
 * (1) The specification does not say. It has been written piecemeal and never been defined, so nothing is
 *     defined twice; other readers (tomllib, toml_edit, toml++) agree. From then on it counts as t.x = ….
 * (2) Once: from then on it counts as [t].
 * (3) "Under the same header" needs no check: a table can be reached by dotted keys only from the section that
 *     made it, since every way from another one leads through a table with a header.
 */
#include "config/toml_internal.h"

static bool is_table_array(const struct toml_node *node)
{
    return node->value.type == TOML_ARRAY && node->origin == TOML_FROM_HEADER;
}

static struct toml_node *fail_twice(struct toml_reader *reader, const struct toml_key *key,
                                    const struct toml_node *found)
{
    char name[QUOTE_SIZE];

    toml_fail(reader, key->line, "%s is defined already, in line %u; it may be defined once",
              text_quote(name, key->name.text, key->name.length), found->value.line);
    return NULL;
}

static struct toml_node *fail_extend(struct toml_reader *reader, const struct toml_key *key,
                                     const struct toml_node *found)
{
    const char *why = "only a table can hold keys";
    char name[QUOTE_SIZE];

    if (found->origin == TOML_FROM_HEADER)
        why = "dotted keys cannot add to what has a header of its own";
    else if (found->value.type == TOML_TABLE)
        why = "nothing can be added to a table written in braces";
    toml_fail(reader, key->line, "%s is of type %s since line %u; %s",
              text_quote(name, key->name.text, key->name.length), toml_type_name(found->value.type),
              found->value.line, why);
    return NULL;
}

static struct toml_node *add_container(struct toml_reader *reader, struct toml_node *parent,
                                       const struct toml_key *key, enum toml_type type,
                                       enum toml_origin origin)
{
    struct toml_node *node = toml_node_add(reader, parent, key);

    return node == NULL || toml_node_open(reader, node, type, origin) != 0 ? NULL : node;
}

struct toml_node *toml_define_dotted(struct toml_reader *reader, struct toml_node *table,
                                     const struct toml_key *key)
{
    struct toml_node *found = toml_table_find(table, key->name);

    if (found == NULL)
        return add_container(reader, table, key, TOML_TABLE, TOML_FROM_DOTTED);
    if (found->origin != TOML_FROM_DEEPER && found->origin != TOML_FROM_DOTTED)
        return fail_extend(reader, key, found);
    found->origin = TOML_FROM_DOTTED;
    return found;
}

struct toml_node *toml_define_value(struct toml_reader *reader, struct toml_node *table,
                                    const struct toml_key *key)
{
    const struct toml_node *found = toml_table_find(table, key->name);

    return found != NULL ? fail_twice(reader, key, found) : toml_node_add(reader, table, key);
}

struct toml_node *toml_define_super(struct toml_reader *reader, struct toml_node *table,
                                    const struct toml_key *key)
{
    struct toml_node *found = toml_table_find(table, key->name);

    if (found == NULL)
        return add_container(reader, table, key, TOML_TABLE, TOML_FROM_DEEPER);
    if (found->origin == TOML_FROM_VALUE)
        return fail_extend(reader, key, found);
    return is_table_array(found) ? found->last : found;
}

struct toml_node *toml_define_table(struct toml_reader *reader, struct toml_node *table,
                                    const struct toml_key *key)
{
    struct toml_node *found = toml_table_find(table, key->name);

    if (found == NULL)
        return add_container(reader, table, key, TOML_TABLE, TOML_FROM_HEADER);
    if (found->origin != TOML_FROM_DEEPER)
        return fail_twice(reader, key, found);
    found->origin = TOML_FROM_HEADER;
    found->value.line = key->line;
    return found;
}

struct toml_node *toml_define_element(struct toml_reader *reader, struct toml_node *table,
                                      const struct toml_key *key)
{
    struct toml_node *array = toml_table_find(table, key->name);

    if (array == NULL)
        array = add_container(reader, table, key, TOML_ARRAY, TOML_FROM_HEADER);
    else if (!is_table_array(array))
        return fail_twice(reader, key, array);
    return array == NULL ? NULL : add_container(reader, array, NULL, TOML_TABLE, TOML_FROM_HEADER);
}
