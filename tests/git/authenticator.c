/* A middleware for ssh-keygen (SSH_SK_PROVIDER) without a device: authenticator.py makes the signature.
 * The structures are those of OpenSSH's PROTOCOL.u2f and sk-api.h, version 10. The key handle is the secret. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct sign_response {
    uint8_t flags;
    uint32_t counter;
    uint8_t *sig_r;
    size_t sig_r_len;
    uint8_t *sig_s;
    size_t sig_s_len;
};

uint32_t sk_api_version(void) { return 0x000a0000; }

int sk_enroll(void) { return -2; }

int sk_load_resident_keys(void) { return -2; }

static void put_hex(char **at, const uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) *at += sprintf(*at, "%02x", bytes[i]);
    *at += sprintf(*at, " ");
}

int sk_sign(uint32_t algorithm, const uint8_t *data, size_t data_len, const char *application, const uint8_t *handle,
            size_t handle_len, uint8_t flags, const char *pin, void **options, struct sign_response **response) {
    size_t application_len = 0;
    while (application[application_len]) application_len++;
    char *command = malloc(sizeof(PROGRAM) + 2 * (data_len + application_len + handle_len) + 64), *at = command;
    at += sprintf(at, "%s ", PROGRAM);
    put_hex(&at, handle, handle_len);
    put_hex(&at, (const uint8_t *)application, application_len);
    put_hex(&at, &flags, 1);
    put_hex(&at, data, data_len);
    FILE *answer = popen(command, "r");
    uint8_t *signature = malloc(64);
    for (int i = 0; i < 64; i++) {
        unsigned byte;
        if (!answer || fscanf(answer, "%2x", &byte) != 1) return -1;
        signature[i] = (uint8_t)byte;
    }
    pclose(answer);
    *response = calloc(1, sizeof(**response));
    (*response)->flags = flags;
    (*response)->counter = 7;
    (*response)->sig_r = signature;
    (*response)->sig_r_len = 64;
    free(command);
    return algorithm == 1 ? 0 : -2;
}
